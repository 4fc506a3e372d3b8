from .guard import Door as Door, Proxy as Proxy
from .listening import make_server as make_server
from .people import People as People
from .site import Site as Site

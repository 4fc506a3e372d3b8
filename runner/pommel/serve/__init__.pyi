from .app import make_app as make_app
from .guard import Door as Door, Proxy as Proxy
from .people import People as People
from .site import Site as Site

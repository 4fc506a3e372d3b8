from .app import make_app as make_app

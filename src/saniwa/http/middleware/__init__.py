"""ASGI layers in front of the application: who may ask, how much, and how to answer."""

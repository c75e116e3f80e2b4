"""Letting people in: layers around the app that know who asks, and what is too much.

From outside to inside: `headers`, `forwarded`, `hosts`, `origin`, `visitors`, `rate`, `rights`, `body`,
`streams`. Each is plain ASGI and looks at one thing; `guarded.py` puts them in order.
What they find out is left in the scope under the names in `asgi.py`.
"""

"""The HTTP door: runs, stories, rules, processes and experiments for any host.

One table of operations says what can be asked; the routes, the OpenAPI document and the
page's client are made from it. Decides nothing.
"""

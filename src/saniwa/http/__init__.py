"""The HTTP API and the web server: requests in, JSON and the built page out.

`operations` is the table of everything that can be requested; routes and the OpenAPI
document are made from it. Needs the extra `serve`.
"""

"""The operations of the API by subject: request and answer structs, and handlers."""

"""What is too much: of requests, of bodies, of streams, of wrong secrets."""

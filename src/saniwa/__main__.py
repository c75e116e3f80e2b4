"""`python -m saniwa`: the command line."""

from saniwa.cli.main import main

if __name__ == "__main__":
    main()

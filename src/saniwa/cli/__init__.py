"""The command line: click commands that parse options, call `saniwa.app`, and print.

No rules of the product are decided here.
"""

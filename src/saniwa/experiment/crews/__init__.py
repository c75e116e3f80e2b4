"""Crews that work through a plan: alone in this process, or many on many machines.

Everyone calls the same `work.do_cell` and keeps outcomes on the same kind of shelf; they
differ in where that happens.
"""

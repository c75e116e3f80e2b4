"""Writing an experiment down: every file of its folder but the reports for reading.

All of it is made from the prepared plan and the outcomes, so it can be written again at
any time and is the same bytes; `times.json` alone holds clocks. Read `whole` first.
"""

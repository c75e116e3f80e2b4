"""Experiments, from a plan somebody wrote to a folder somebody reads.

`prepare` checks everything before the first call; `oracles` opens who plays; `folder`
finds and makes experiments; `undertaking` carries one out; `forecast` says what it would
take.
"""

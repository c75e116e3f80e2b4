"""Agents: configured, model-driven actors that take turns in a run or work at a gate.

They speak through a floor and think through a bridge; what they say decides nothing.
"""

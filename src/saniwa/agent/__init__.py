"""Agents: configured, model-driven actors that take turns in a run or work at a gate.

They act through an `AgentPort` and ask a model through an `SdkBridge`. They decide
nothing: rules and gates judge what they say.
"""

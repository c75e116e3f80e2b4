"""Telling OpenTelemetry how the door is doing; loaded only when somebody asks for it."""

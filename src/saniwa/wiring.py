"""The one place that picks concrete parts."""

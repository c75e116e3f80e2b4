"""From numbers to what they show: intervals, tests, effects, corrections."""

"""An agent at work: its flow walked, its iterations run, its life begun and ended once."""

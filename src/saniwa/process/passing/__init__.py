"""What the gate does once it has decided: write, run hooks, fire timers, move, audit."""

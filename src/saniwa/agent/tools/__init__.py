"""Tools that agents use: files, commands, their own gate run, servers and functions."""

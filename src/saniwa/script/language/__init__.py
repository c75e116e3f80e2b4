"""What stands inside lines: values, expressions, chance, texts that vary."""

"""What a character believes, beside what is true: perceived, told and inferred.

Made from turns and from what one could perceive of them; nothing here changes a world.
"""

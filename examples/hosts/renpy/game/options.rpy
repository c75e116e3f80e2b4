# What you would change to tell a story of your own.

define config.name = "A Night on Lantern Island"
define config.version = "1.0"
define build.name = "lantern_island"

# How Saniwa is started: any story, any scenario, any language. Paths are from the
# folder that holds `game`. A story of your own lies there as stories/NAME.md, or as
# stories/NAME/story.md with its pictures beside it, and is named by its id, NAME.
# What was played is kept there too.
define saniwa_command = [
    "saniwa", "host", "--stdio",
    "--story", "lantern-island",
    "--store", ".saniwa/renpy.sqlite",
]

define config.screen_width = 1280
define config.screen_height = 720

# Saniwa remembers what was shown, goes back and saves, in the story and in its
# world. Ren'Py's own rollback and saves know nothing of that world.
define config.rollback_enabled = False
define config.has_autosave = False
define config.has_quicksave = False
define config.autosave_on_quit = False
define _game_menu_screen = None

# Everything is kept at every step, so there is nothing to be asked about.
define config.quit_action = Quit(confirm=False)

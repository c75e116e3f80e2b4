# As few screens as a story needs; replace them with your own.

style default:
    size 26
    color "#eee6d8"

screen say(who, what):
    window:
        id "window"
        yalign 1.0
        padding (60, 30)
        ysize 220
        background "#1d1a17e0"
        vbox:
            spacing 8
            if who is not None:
                text who id "who" color "#f0907a"
            text what id "what"

screen choice(items):
    vbox:
        align (0.5, 0.4)
        spacing 12
        for item in items:
            textbutton item.caption:
                action item.action
                background "#1d1a17e0"
                padding (30, 12)
                xminimum 700

screen input(prompt):
    vbox:
        align (0.5, 0.4)
        spacing 12
        frame:
            background "#1d1a17e0"
            padding (30, 20)
            xsize 700
            vbox:
                spacing 8
                text prompt color "#f0907a"
                input id "input"

screen saniwa_menu():
    zorder 100
    hbox:
        align (0.98, 0.02)
        spacing 20
        textbutton _("Back") action Jump("saniwa_back")
        textbutton _("Save") action Jump("saniwa_save")
        textbutton _("Load") action Jump("saniwa_load")

# A Saniwa host for Ren'Py: it shows StepResults and nothing else, so it plays a
# Markdown story, a scenario, and both together.

default saniwa_moment = None
default saniwa_move = None

init python:
    from saniwa_host import open_saniwa

    def saniwa_child():
        # Beside the game, wherever it is started from.
        return open_saniwa(saniwa_command, config.basedir)

    def saniwa_ask(op, **fields):
        return saniwa_child().ask(op, **fields)

    def saniwa_go(op, **fields):
        """Ask for something to happen; a refusal is told, and nothing changes."""
        answer = saniwa_ask(op, **fields)
        if answer["ok"]:
            store.saniwa_moment = answer["moment"]
        else:
            error = answer["error"]
            renpy.say(None, plain("{}. {}".format(error["message"], error["hint"])))
            store.saniwa_moment = saniwa_ask("moment").get("moment")

    def plain(text):
        """Words as words: braces and brackets mean nothing to a story."""
        return text.replace("{", "{{").replace("[", "[[")

    def saniwa_show(moment):
        """Show a moment, and wait for what the player does; that is the next request."""
        if moment["scenery"]:
            renpy.scene()
            renpy.show("black", zorder=-10)
            for each in moment["scenery"]["directives"]:
                saniwa_stage(each["type"], each["args"])
        directives = moment["step"]["directives"]
        lines = [each for each in directives if each["type"] == "Say"]
        asks = moment["waiting"] not in ("step", "end")
        for each in directives:
            saniwa_stage(each["type"], each["args"])
            if each["type"] == "Say":
                args = each["args"]
                last = asks and each is lines[-1]
                who = plain(args["speaker"]) or None
                renpy.say(who, plain(args["text"]), interact=not last)
        return saniwa_answer(moment["waiting"], directives)

    def saniwa_stage(kind, args):
        """Pictures, music and sound; what is not known here is passed over."""
        if kind == "ShowImage":
            content = saniwa_child().load_file(args["path"])
            renpy.hide("saniwa_" + args["layer"])
            if content:
                order = 0 if args["layer"] == "background" else 10
                drawn = im.Data(content, args["path"])
                size = (config.screen_width, config.screen_height)
                picture = Transform(
                    drawn, xysize=size, fit="contain", align=(0.5, 1.0)
                )
                renpy.show("saniwa_" + args["layer"], what=picture, zorder=order)
        elif kind == "ClearLayer":
            renpy.hide("saniwa_" + args["layer"])
        elif kind == "PlayBgm":
            content = saniwa_child().load_file(args["path"])
            if content:
                renpy.music.play(AudioData(content, args["path"]), if_changed=True)
            else:
                renpy.music.stop(fadeout=1.0)
        elif kind == "PlaySe":
            content = saniwa_child().load_file(args["path"])
            if content:
                renpy.sound.play(AudioData(content, args["path"]))
        elif kind == "Wait":
            renpy.pause(args["seconds"])
        elif kind == "Ending":
            renpy.say(None, plain(args.get("name") or args["id"]))

    def saniwa_answer(waiting, directives):
        """What the player does next."""
        if waiting == "end":
            return None
        if waiting == "step":
            return {"op": "step"}
        offered = [each["args"] for each in directives if each["type"] == "Branch"]
        asked = [each["args"] for each in directives if each["type"] == "Ask"]
        prompt = asked[0]["prompt"] if asked else _("What do you do?")
        if offered:
            items = saniwa_items(offered[0])
            if "words" in waiting:
                items.append((plain(prompt), "words"))
            chosen = renpy.display_menu(items)
            if chosen != "words":
                return {"op": "choose", "index": chosen}
        return {"op": "say", "text": renpy.input(plain(prompt), length=400)}

    def saniwa_items(args):
        """The choices there are; one that is shown and cannot be taken is left out."""
        options = args.get("options") or [{"enabled": True}] * len(args["choices"])
        return [
            (plain(text), index)
            for index, text in enumerate(args["choices"])
            if options[index]["enabled"]
        ]

label start:
    scene black
    show screen saniwa_menu
    $ saniwa_go("begin")
    jump saniwa_loop

label saniwa_loop:
    if saniwa_moment is None:
        return
    $ saniwa_move = saniwa_show(saniwa_moment)
    if saniwa_move is None:
        return
    $ saniwa_go(**saniwa_move)
    jump saniwa_loop

label saniwa_back:
    $ saniwa_go("back")
    jump saniwa_loop

label saniwa_save:
    $ saniwa_ask("save", name=renpy.input(_("Save under which name?"), length=40) or "save")
    $ saniwa_go("moment")
    jump saniwa_loop

label saniwa_load:
    python:
        saniwa_saves = saniwa_ask("saves").get("saves", [])
        saniwa_items_of_saves = [(plain(each["name"]), each["name"]) for each in saniwa_saves]
        saniwa_items_of_saves.append((_("Stay here"), None))
        saniwa_name = renpy.display_menu(saniwa_items_of_saves)
        if saniwa_name is None:
            saniwa_go("moment")
        else:
            saniwa_go("load", name=saniwa_name)
    jump saniwa_loop

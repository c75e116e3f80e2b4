import { describe, expect, it } from "vitest";
import words from "../../words/compare";
import { chooseAnswerKey, chooseBriefKey, chooseNoticeKey, listEffects, chooseFactorKey, listLevels, chooseMoveKey, listShownMetrics, listUnlikePairs, chooseTone } from "./phrases";
import type { EffectView, ExperimentLine, Measures, Sense } from "./types";

const SENSES: Sense[] = [
  "better",
  "worse",
  "differs",
  "overlap",
  "strengthen",
  "depends",
  "no change",
  "not shown",
  "could not be shown",
  "unknown",
];

function effect(sense: Sense, factors: string[], metric = "impossible_rate"): EffectView {
  return { sense, effect: { metric, factors } } as EffectView;
}

function measures(means: Record<string, number | null>, better: "less" | "more" | ""): Measures {
  return {
    metrics: [
      { metric: { name: "m", better }, headline: true },
      { metric: { name: "rare", better }, headline: false },
      { metric: { name: "never", better }, headline: true },
    ],
    conditions: Object.entries(means).map(([name, mean]) => ({
      condition: { name },
      estimates: { m: { mean }, rare: { mean } },
    })),
    effects: [effect("better", ["a", "b"], "m"), effect("better", ["a"], "m"), effect("better", ["a"], "other")],
  } as unknown as Measures;
}

describe("what a test came to", () => {
  it.each(SENSES)("has words for %s, of one factor and of two", (sense) => {
    for (const key of [chooseAnswerKey(effect(sense, ["gm"])), chooseAnswerKey(effect(sense, ["gm", "inject"])), chooseBriefKey(sense)])
      expect(words.en[key] && words.ja[key]).toBeTruthy();
  });

  it("says of two factors what no single one can do", () => {
    expect(["overlap", "bothNotShown"]).toEqual([
      chooseAnswerKey(effect("overlap", ["gm", "inject"])),
      chooseAnswerKey(effect("not shown", ["gm", "inject"])),
    ]);
  });

  it("is a yes on average where a pair of conditions could have shown it and did not", () => {
    const pair = (sense: Sense, factor = "gm", metric = "m") => ({ sense, comparison: { metric, factor } });
    const known = {
      comparisons: [pair("better"), pair("not shown"), pair("could not be shown"), pair("not shown", "inject"), pair("not shown", "gm", "other")],
    } as unknown as Measures;
    const unlike = listUnlikePairs(known, effect("better", ["gm"], "m"));

    expect([known.comparisons[1]]).toEqual(unlike);
    expect([]).toEqual(listUnlikePairs(known, effect("not shown", ["gm"], "m")));
    expect([]).toEqual(listUnlikePairs(known, effect("overlap", ["gm", "inject"], "m")));
    expect(["betterInPart", "worseInPart", "better"]).toEqual([
      chooseAnswerKey(effect("better", ["gm"]), true),
      chooseAnswerKey(effect("worse", ["gm"]), true),
      chooseAnswerKey(effect("better", ["gm"])),
    ]);
  });

  it("is coloured only where it was shown", () => {
    expect(["moss", "plum", "indigo", "plain"]).toEqual(
      (["better", "worse", "overlap", "not shown"] as const).map(chooseTone),
    );
  });

  it("has a word for every move", () => {
    expect(["moveBetter", "moveNothing"]).toEqual([chooseMoveKey("better"), chooseMoveKey("nothing to count")]);
  });
});

describe("factorKey", () => {
  it("knows the factors of a plan and no other", () => {
    expect(["factor_gm", null]).toEqual(["gm", "weather"].map(chooseFactorKey));
  });
});

describe("effectsOn", () => {
  it("tells what factors do alone before what they do together", () => {
    expect([1, 2]).toEqual(listEffects(measures({}, "less"), "m").map((each) => each.effect.factors.length));
  });
});

describe("shownMetrics", () => {
  it("shows what a reader sees first, and nothing that has no value", () => {
    const made = measures({ A: 1 }, "less");
    expect(["m"]).toEqual(listShownMetrics(made, false).map((each) => each.metric.name));
    expect(["m", "rare"]).toEqual(listShownMetrics(made, true).map((each) => each.metric.name));
  });
});

describe("levels", () => {
  it("leaves out telling and refusing, which have words of their own", () => {
    const line = { factors: { gm: [false, true], faults: ["usual", "careless"] } } as unknown as ExperimentLine;
    expect([["faults", "careless"]]).toEqual(listLevels({ name: "D+faults=careless", faults: "careless" }, line));
  });
});

describe("who played", () => {
  const played = (...models: string[]): Measures =>
    ({ conditions: models.map((model) => ({ condition: { model } })) }) as unknown as Measures;

  it("says of stand-ins, canned and random answers that they are no model", () => {
    expect(chooseNoticeKey("sim", played(""))).toBe("simulation");
    expect(chooseNoticeKey("real", played("canned:a.yaml", "canned:b.yaml"))).toBe("canned");
    expect(chooseNoticeKey("real", played("fuzz:1"))).toBe("fuzz");
  });

  it("says nothing where a model played", () => {
    expect(chooseNoticeKey("real", played("openai:gpt", "canned:a.yaml"))).toBeNull();
    expect(chooseNoticeKey("work", played(""))).toBeNull();
  });
});

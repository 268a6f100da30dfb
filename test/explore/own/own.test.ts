/** Our own controllers are explored, each in one of the stories; `npm run soak:explore` does so for an hour. */
import { expect, test } from "vitest";
import { CONTROLLERS, ownName } from "../../../src/controllers/names.ts";
import { amount } from "../../../src/util/testing/amount.ts";
import { exploreStory } from "./run.ts";
import { OWN_STORIES } from "./stories.ts";
import type { Accepted } from "./story.ts";

/** The plans of each story; the usual run takes a minute of CPU for all. */
const PLANS = amount("EXPLORED_PLANS", 4, 100);

test("each controller that a server has by name is explored in a story", () => {
  const explored = new Set(Object.values(OWN_STORIES).flatMap((story) => story.explored.map(ownName)));
  expect([...explored].toSorted()).toEqual(Object.keys(CONTROLLERS).toSorted());
});

test("each of what stories accept names one object, and says why", () => {
  const accepted = Object.values(OWN_STORIES).flatMap((story) => story.accepted ?? []);
  const isWide = ({ key }: Accepted): boolean => !/^\S+ \S+ .*[^/]$/.test(key);
  expect(accepted.filter((one) => isWide(one) || one.why.length <= 40)).toEqual([]);
});

test.each(Object.entries(OWN_STORIES))(
  `in ${PLANS} plans no fault is found: %s`,
  { timeout: 60_000 + PLANS * 10_000 },
  async (_, story) => {
    const { exploration, findings } = await exploreStory(story, { seed: 1, plans: PLANS });
    expect(findings.map(({ fault, plan }) => `${fault.sentence} ${JSON.stringify(plan)}`)).toEqual([]);
    expect(exploration).toMatchObject({ ended: "plans", plans: PLANS });
  },
);

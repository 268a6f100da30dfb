import { describe, test } from "vitest";
import { runScene, whyNoMounts } from "../testing/scene.ts";

const scenes = new URL("./testing/written-scenes.ts", import.meta.url).href;

describe.skipIf(whyNoMounts !== undefined)("with mounts", () => {
  test("PROJ-59, PROJ-39, PROJ-58: a volume is in memory, with mode 1777, 3777 with a group, and removed as a whole", () =>
    runScene(scenes, "liesInMemory"));
  test("NODE-9: files behind a mount that stays are not removed", () => runScene(scenes, "staysMounted"));
});

import { describe, test } from "vitest";
import { runScene, whyNoMounts } from "../testing/scene.ts";

const scenes = new URL("./testing/written-scenes.ts", import.meta.url).href;

describe.skipIf(whyNoMounts !== undefined)("with mounts", () => {
  test("PROJ-59, PROJ-39, PROJ-58: a volume lies in memory, with mode 1777, 3777 with a group, and is taken away whole", () =>
    runScene(scenes, "liesInMemory"));
  test("NODE-9: what lies behind a mount that stays is not removed", () => runScene(scenes, "staysMounted"));
});

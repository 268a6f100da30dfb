import { describe, expect, test } from "vitest";
import type { StoredObject } from "../contract/state.ts";
import { makeJudge } from "./index.ts";
import { SEED, keys, inStep } from "./testing/judged.ts";
import { OPERATOR, operatorRun } from "./testing/operator.ts";
import type { RecordedRun } from "./testing/recorded-run.ts";

describe("references", () => {
  test("the resourceVersion of a reference tells only when it was written", () => {
    const refer = (version: string, uid = "u-1") =>
      inStep(1, (run) =>
        run.update(OPERATOR, run.get("Secret", "a-cert"), {
          data: { fixed: "yes" },
          of: { kind: "Widget", name: "a", uid, resourceVersion: version },
        }),
      );
    const referring = makeJudge([operatorRun(1, refer("7")).record()]);
    expect(referring.faults(operatorRun(1, refer("9")).record())).toEqual([]);
    expect(keys(referring.faults(operatorRun(1, refer("9", "u-2")).record()))).toEqual([
      "differs Secret default/a-cert .of.uid",
    ]);
  });

  test("a reference to an owner of the same name that was deleted is dangling", () => {
    // The Widget is deleted and created again; the ConfigMap still names the old one.
    const renew = (old: boolean) => (run: RecordedRun) => {
      const { metadata, ...rest } = run.get("Widget", "a");
      run.delete("user", run.get("Widget", "a"));
      const { uid: _uid, resourceVersion: _revision, ...kept } = metadata;
      const widget = run.create("user", { ...rest, metadata: kept });
      for (const kind of ["Secret", "ConfigMap", "Pod"])
        for (const object of run.all(kind)) {
          if (old && kind === "ConfigMap") continue;
          const ownerReferences = [{ ...object.metadata.ownerReferences![0]!, uid: widget.metadata.uid }];
          const data = object["data"] as object | undefined;
          run.update(OPERATOR, object, {
            metadata: { ownerReferences },
            ...(kind === "ConfigMap" && { data: { ...data, of: widget.metadata.uid } }),
          });
        }
    };
    const again = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(1, renew(false))).record()));
    expect(again.faults(operatorRun(SEED, inStep(1, renew(false))).record())).toEqual([]);
    expect(again.faults(operatorRun(SEED, inStep(1, renew(true))).record())).toMatchObject([
      { kind: "dangling", object: { name: "a-config" } },
    ]);
  });

  test("a resourceVersion that is stored is the same where it is that of the same object", () => {
    const pod = (run: RecordedRun) => run.all("Pod")[0]!;
    const note = (of: (run: RecordedRun) => StoredObject) => (run: RecordedRun) =>
      run.update(OPERATOR, run.get("ConfigMap", "a-config"), {
        data: { ...(run.get("ConfigMap", "a-config")["data"] as object), seen: of(run).metadata.resourceVersion },
      });
    // Clean runs alike, so that no mask covers it.
    const one = makeJudge([
      operatorRun(
        1,
        inStep(
          1,
          note((run) => run.get("Secret", "a-cert")),
        ),
      ).record(),
    ]);
    const other = (of: (run: RecordedRun) => StoredObject) => one.faults(operatorRun(2, inStep(1, note(of))).record());
    expect(keys(other((run) => run.get("Secret", "a-cert"))).filter((key) => key.includes("seen"))).toEqual([]);
    expect(
      other(pod)
        .map(({ found }) => found)
        .join("\n"),
    ).toContain(".data.seen");
  });
});

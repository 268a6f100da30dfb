import { expect, test } from "vitest";
import { ApiFailure } from "../../api/http.ts";
import { bulkRequest, runBulk, type BulkProgress } from "./bulk-run.ts";

const object = (name: string) => ({ uid: `uid-${name}`, namespace: "a", name });
const KIND = { group: "apps", version: "v1", resource: "deployments" };
const failure = (code: number, message: string) =>
  new ApiFailure(code, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code });

test("each object has its own result, and what is gone already counts as deleted", async () => {
  const steps: BulkProgress[] = [];
  const result = await runBulk(
    ["a", "b", "c", "d"].map(object),
    ({ name }) =>
      name === "b"
        ? Promise.reject(failure(403, "not b"))
        : name === "c"
          ? Promise.reject(failure(404, "gone"))
          : Promise.resolve(),
    (progress) => steps.push(progress),
    { isDelete: true, signal: new AbortController().signal },
  );
  expect(result.failures).toEqual([{ object: object("b"), message: "not b" }]);
  expect(result.succeeded.map(({ name }) => name).sort()).toEqual(["a", "c", "d"]);
  expect(steps.map(({ done }) => done)).toEqual([1, 2, 3, 4]);
});

test("at most six requests run at once, and none begins after the end", async () => {
  const aborter = new AbortController();
  let running = 0;
  let most = 0;
  let begun = 0;
  await runBulk(
    Array.from({ length: 100 }, (_, index) => object(String(index))),
    async () => {
      most = Math.max(most, ++running);
      if (++begun === 20) aborter.abort();
      await Promise.resolve();
      running--;
    },
    () => undefined,
    { isDelete: false, signal: aborter.signal },
  );
  expect(most).toBe(6);
  expect(begun).toBeLessThan(30);
});

test("a delete means the object that was selected, and a label may be removed", () => {
  expect(bulkRequest(KIND, { type: "delete", propagation: "Orphan" }, object("a"))).toEqual({
    path: "/apis/apps/v1/namespaces/a/deployments/a",
    options: {
      method: "DELETE",
      body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Orphan", preconditions: { uid: "uid-a" } },
    },
  });
  expect(bulkRequest(KIND, { type: "label", key: "k", value: null }, object("a")).options).toMatchObject({
    method: "PATCH",
    body: { metadata: { uid: "uid-a", labels: { k: null } } },
  });
  expect(bulkRequest(KIND, { type: "annotate", key: "k", value: "v" }, object("a")).options.body).toEqual({
    metadata: { uid: "uid-a", annotations: { k: "v" } },
  });
});

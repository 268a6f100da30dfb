import { Fairness } from "../../src/fairness/index.ts";
import { providedLevels, providedSchemas } from "../../src/kinds/flowcontrol/v1/provided.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { NO_REQUEST } from "../../src/meta/request-info.ts";
import { systemClock } from "../../src/util/clock.ts";

const REQUESTS = 1_000_000;

/** Prints the cost of classifying, taking a seat and releasing it for a request when no request waits. */
export function lightPath(): void {
  using fairness = new Fairness({ clock: systemClock, seats: 600 });
  const objects = (those: readonly { name: string; spec: object }[]) =>
    those.map(({ name, spec }) => ({ metadata: { name, uid: name }, spec }));
  fairness.configure({
    schemas: objects(providedSchemas({ dialect: kubernetes })) as never,
    levels: objects(providedLevels()) as never,
  });
  const users = Array.from({ length: 100 }, (_, i) => ({
    user: `user-${i}`,
    groups: ["team", "system:authenticated"],
  }));
  const info = { ...NO_REQUEST, isResource: true, verb: "get", resource: "configmaps", namespace: "n", name: "a" };
  const once = (i: number): void => {
    const identity = users[i % users.length]!;
    fairness.enter(fairness.classify(identity, info), identity, info, 1, 15_000).end();
  };
  for (let i = 0; i < REQUESTS; i++) once(i);
  const began = performance.now();
  for (let i = 0; i < REQUESTS; i++) once(i);
  const micros = ((performance.now() - began) * 1000) / REQUESTS;
  console.log(`light path: ${micros.toFixed(2)} µs a request`);
}

import { expect, test } from "vitest";
import { OptionError } from "../options/types.ts";
import { type StartOptions, startServer } from "./start.ts";

test("options are values with types", async () => {
  await using server = await startServer({
    dev: true,
    port: 0,
    insecureHttp: true,
    dialect: "kubernetes",
    eventTtl: 90_000,
    shutdownGrace: "1.5s",
    controllers: ["namespace"],
    featureGates: { ImageVolume: false },
    tlsSan: undefined,
  });
  expect(server.dialect.name).toBe("kubernetes");
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
});

test.each<[StartOptions | Record<string, unknown>, string]>([
  [{ prot: 0 }, 'unknown option "prot"; did you mean "port"?'],
  [{ "data-dir": "x" }, 'unknown option "data-dir"; did you mean "dataDir"?'],
  [{ toString: "x" }, 'unknown option "toString"'],
  [{ eventTtl: -1 }, 'expected --event-ttl to be a duration such as 30s, 90m or 1h30m, got "-1ms"'],
  [{ port: 65_536 }, 'expected --port to be a number from 0 to 65535, got "65536"'],
  [{ dialect: "german" }, "expected --dialect to be neutral or kubernetes"],
])("refuses %j before anything starts", async (options, message) => {
  const started = startServer(options as StartOptions);
  await expect(started).rejects.toThrow(OptionError);
  await expect(started).rejects.toThrow(message);
});

test("invalid options are type errors", () => {
  // @ts-expect-error There is no such option.
  const unknown: StartOptions = { prot: 0 };
  // @ts-expect-error A switch is a boolean.
  const text: StartOptions = { dev: "true" };
  // @ts-expect-error There is no such dialect.
  const dialect: StartOptions = { dialect: "german" };
  expect([unknown, text, dialect]).toHaveLength(3);
});

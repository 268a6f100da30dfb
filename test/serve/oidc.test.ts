import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_ISSUER } from "../../src/auth/oidc/flags.ts";
import type { OidcSettings } from "../../src/app/options/authentication-settings.ts";
import { type Oidc, openOidc } from "../../src/app/authentication/oidc.ts";
import { authority } from "../../src/pki/certificate.ts";
import { ManualClock, systemClock } from "../../src/util/clock.ts";
import { silentLog } from "../../src/util/log.ts";
import { AUDIENCE, RunningProvider } from "./provider.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-oidc-"));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

let provider: RunningProvider;
let issuer = "";
let caFile = "";

beforeAll(async () => {
  provider = await RunningProvider.start();
  issuer = provider.url;
  caFile = file("ca.crt", provider.ca.cert);
});
afterAll(() => provider.close());

const token = (): Promise<string> => provider.programToken();

const opened = (settings: Partial<OidcSettings>, clock: ManualClock | typeof systemClock = systemClock): Oidc =>
  openOidc(
    { ...NO_ISSUER, configFile: "", caFile: "", ...settings },
    { clock, log: silentLog, issuers: ["https://own"], audiences: ["server"] },
  )!;

async function ready(oidc: Oidc): Promise<void> {
  await expect.poll(() => oidc.tokens.isReady, { timeout: 20_000 }).toBe(true);
}

const configured = (url: string, prefix: string): string => `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ${url}
    audiences: [${AUDIENCE}]
    certificateAuthority: ${JSON.stringify(provider.ca.cert)}
  claimMappings:
    username: {expression: "'${prefix}' + claims.sub"}
    groups: {claim: groups, prefix: 'npm:'}
`;

test("OIDC-7, OIDC-17: a token of a real provider names a user, by flags", async () => {
  using oidc = opened({ issuerUrl: issuer, clientId: AUDIENCE, caFile, groupsClaim: "groups" });
  await ready(oidc);
  expect(await oidc.tokens.identify(await token())).toMatchObject({
    identity: { user: `${issuer}#robot`, groups: ["builders", "system:authenticated"] },
    audiences: ["server"],
  });
  const text = JSON.stringify(await oidc.metrics());
  expect(text).toContain('"jwt_issuer_hash":"sha256:');
});

test("OIDC-1, OIDC-18: a changed file is taken over within a minute, and one that is wrong is kept out", async () => {
  const clock = new ManualClock(Date.now());
  const configFile = file("config.yaml", configured(issuer, "a-"));
  using oidc = opened({ configFile }, clock);
  await ready(oidc);
  const user = async (): Promise<string | undefined> => (await oidc.tokens.identify(await token()))?.identity.user;
  expect(await user()).toBe("a-robot");
  const counts = async (): Promise<unknown> =>
    (await oidc.metrics()).find(({ name }) => name.endsWith("reloads_total"))!.samples.map(({ value }) => value);
  file("config.yaml", "jwt: 5");
  clock.advance(60_000);
  await expect.poll(counts).toEqual([0, 1]);
  expect(await user()).toBe("a-robot");
  await expect.poll(() => clock.timers().some(({ owner }) => owner === "authentication configuration")).toBe(true);
  file("config.yaml", configured(issuer, "b-"));
  clock.advance(60_000);
  await expect.poll(counts).toEqual([1, 1]);
  expect(await user()).toBe("b-robot");
});

test("OIDC-7: a provider with a foreign certificate is not trusted", async () => {
  using oidc = opened({
    issuerUrl: issuer,
    clientId: AUDIENCE,
    caFile: file("other.crt", authority({ now: Date.now(), days: 1 }).cert),
  });
  await new Promise((resolve) => void setTimeout(resolve, 200));
  expect(oidc.tokens.isReady).toBe(false);
});

test.each([
  ["both a file and flags", { configFile: "x", issuerUrl: "https://a.example" }, "got both"],
  ["no client", { issuerUrl: "https://a.example" }, "--oidc-client-id"],
  ["HS256", { issuerUrl: "https://a.example", clientId: "c", algorithms: ["HS256"] }, "--oidc-signing-algs"],
  ["http", { issuerUrl: "http://a.example", clientId: "c" }, "jwt[0].issuer.url: Invalid value"],
  ["the own issuer", { issuerUrl: "https://own", clientId: "c" }, "jwt[0].issuer.url: Invalid value"],
  ["a claim without a value", { issuerUrl: "https://a.example", clientId: "c", requiredClaims: ["x"] }, "CLAIM=VALUE"],
])("OIDC-1, OIDC-17: %s is refused at the start", (_, settings, why) => {
  expect(() => opened(settings)).toThrow(why);
});

test("nothing is opened where nothing is said", () => {
  expect(opened({})).toBeUndefined();
});

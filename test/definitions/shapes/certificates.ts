/**
 * Certificates, and who issues them: deep alternatives of solvers.
 *
 * @module
 */
import { type Sample, STATUS, sample } from "../sample.ts";
import { affinity, tolerations } from "./pods.ts";
import {
  type Json,
  duration,
  int32,
  int64,
  keyRef,
  list,
  object,
  oneOf,
  ruled,
  status,
  text,
  texts,
  time,
  yesNo,
} from "../words.ts";

const GROUP = "certificates.example.com";

const issuerRef = object({ group: text(), kind: text(), name: text() }, { required: ["name"] });

const certificateSpec = object(
  {
    additionalOutputFormats: list(object({ type: oneOf("DER", "CombinedPEM") }, { required: ["type"] })),
    commonName: text({ maxLength: 64 }),
    dnsNames: list(text()),
    duration,
    emailAddresses: list(text()),
    encodeUsagesInRequest: yesNo(),
    ipAddresses: list(text()),
    isCA: yesNo(),
    issuerRef,
    keystores: object({
      jks: object(
        { alias: text(), create: yesNo(), passwordSecretRef: keyRef },
        { required: ["create", "passwordSecretRef"] },
      ),
      pkcs12: object(
        { create: yesNo(), passwordSecretRef: keyRef, profile: oneOf("LegacyRC2", "LegacyDES", "Modern2023") },
        { required: ["create", "passwordSecretRef"] },
      ),
    }),
    privateKey: object({
      algorithm: oneOf("RSA", "ECDSA", "Ed25519"),
      encoding: oneOf("PKCS1", "PKCS8"),
      rotationPolicy: oneOf("Never", "Always"),
      size: int32(),
    }),
    renewBefore: duration,
    revisionHistoryLimit: int32({ minimum: 1 }),
    secretName: text(),
    secretTemplate: object({ annotations: texts, labels: texts }),
    subject: object({ countries: list(text()), organizations: list(text()), serialNumber: text() }),
    uris: list(text()),
    usages: list(oneOf("signing", "digital signature", "key encipherment", "server auth", "client auth", "any")),
  },
  { required: ["issuerRef", "secretName"] },
);

export const certificate: Sample = sample({
  of: "a certificate",
  group: GROUP,
  kind: "Certificate",
  plural: "certificates",
  names: { shortNames: ["cert", "certs"], categories: ["crypto"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: certificateSpec,
        status: status({ notAfter: time, notBefore: time, renewalTime: time, revision: int64() }),
      },
      more: {
        ...STATUS,
        additionalPrinterColumns: [
          { jsonPath: '.status.conditions[?(@.type=="Ready")].status', name: "Ready", type: "string" },
          { jsonPath: ".spec.secretName", name: "Secret", type: "string" },
        ],
        selectableFields: [{ jsonPath: ".spec.issuerRef.name" }, { jsonPath: ".spec.secretName" }],
      },
    },
  ],
  valid: {
    spec: {
      secretName: "site-tls",
      dnsNames: ["site.example.com"],
      duration: "2160h",
      renewBefore: "360h",
      issuerRef: { kind: "Issuer", name: "own" },
      privateKey: { algorithm: "ECDSA", rotationPolicy: "Always", size: 256 },
      keystores: { pkcs12: { create: true, passwordSecretRef: { key: "password" } } },
      usages: ["server auth"],
    },
  },
  becomes: {
    spec: {
      secretName: "site-tls",
      dnsNames: ["site.example.com"],
      duration: "2160h",
      renewBefore: "360h",
      issuerRef: { kind: "Issuer", name: "own" },
      privateKey: { algorithm: "ECDSA", rotationPolicy: "Always", size: 256 },
      keystores: { pkcs12: { create: true, passwordSecretRef: { name: "", key: "password" } } },
      usages: ["server auth"],
    },
  },
  misfits: [
    {
      why: "without an issuer, with a key nobody makes",
      body: { spec: { secretName: "s", privateKey: { algorithm: "DSA" }, revisionHistoryLimit: 0 } },
      causes: [
        "FieldValueInvalid spec.revisionHistoryLimit",
        "FieldValueNotSupported spec.privateKey.algorithm",
        "FieldValueRequired spec.issuerRef",
      ],
    },
    {
      why: "with texts where there are lists and objects",
      body: { spec: { secretName: 7, issuerRef: "own", dnsNames: "site" } },
      causes: [
        "FieldValueTypeInvalid spec.dnsNames",
        "FieldValueTypeInvalid spec.issuerRef",
        "FieldValueTypeInvalid spec.secretName",
      ],
    },
  ],
});

const HTTP_SOLVERS = ["gatewayHTTPRoute", "ingress"];
const DNS_SOLVERS = ["acmeDNS", "cloudDNS", "cloudflare", "rfc2136", "route53", "webhook"];

/** One of these members, and no other: as alternatives each of which asks for one. */
const exactlyOne = (names: readonly string[]): Json => ({ oneOf: names.map((name) => ({ required: [name] })) });

const podTemplate = object({
  metadata: object({ annotations: texts, labels: texts }),
  spec: object({ affinity, imagePullSecrets: list(object({ name: text({ default: "" }) })), tolerations }),
});

const dns01 = object(
  {
    acmeDNS: object({ accountSecretRef: keyRef, host: text() }, { required: ["accountSecretRef", "host"] }),
    cloudDNS: object({ project: text(), serviceAccountSecretRef: keyRef }, { required: ["project"] }),
    cloudflare: object({ apiKeySecretRef: keyRef, apiTokenSecretRef: keyRef, email: text() }),
    cnameStrategy: oneOf("None", "Follow"),
    rfc2136: object(
      { nameserver: text(), tsigAlgorithm: text(), tsigKeyName: text(), tsigSecretSecretRef: keyRef },
      { required: ["nameserver"] },
    ),
    route53: object({
      auth: object({ kubernetes: object({ serviceAccountRef: object({ name: text() }, { required: ["name"] }) }) }),
      hostedZoneID: text(),
      region: text(),
      role: text(),
    }),
    webhook: object(
      { config: { "x-kubernetes-preserve-unknown-fields": true }, groupName: text(), solverName: text() },
      { required: ["groupName", "solverName"] },
    ),
  },
  exactlyOne(DNS_SOLVERS),
);

const http01 = object(
  {
    gatewayHTTPRoute: object({ labels: texts, parentRefs: list(object({ name: text() }, { required: ["name"] })) }),
    ingress: object({ class: text(), ingressClassName: text(), name: text(), podTemplate, serviceType: text() }),
  },
  exactlyOne(HTTP_SOLVERS),
);

const acme = object(
  {
    email: text(),
    preferredChain: text({ maxLength: 64 }),
    privateKeySecretRef: keyRef,
    server: text(),
    skipTLSVerify: yesNo(),
    solvers: list(
      object(
        { dns01, http01, selector: object({ dnsNames: list(text()), dnsZones: list(text()), matchLabels: texts }) },
        exactlyOne(["dns01", "http01"]),
      ),
    ),
  },
  { required: ["privateKeySecretRef", "server"] },
);

const issuerSpec = ruled(
  object(
    {
      acme,
      ca: object({ crlDistributionPoints: list(text()), secretName: text() }, { required: ["secretName"] }),
      selfSigned: object({ crlDistributionPoints: list(text()) }),
      vault: object(
        {
          auth: object({
            appRole: object({ path: text(), roleId: text(), secretRef: keyRef }),
            tokenSecretRef: keyRef,
          }),
          caBundle: text({ format: "byte" }),
          namespace: text(),
          path: text(),
          server: text(),
        },
        { required: ["auth", "path", "server"] },
      ),
    },
    { minProperties: 1 },
  ),
  [
    "[has(self.acme), has(self.ca), has(self.selfSigned), has(self.vault)].filter(one, one).size() == 1",
    "one way to issue",
  ],
);

const solved = (solver: Json): Json => ({
  spec: {
    acme: { server: "https://acme.example.com", privateKeySecretRef: { name: "k", key: "tls.key" }, solvers: [solver] },
  },
});

export const issuer: Sample = sample({
  of: "an issuer of certificates",
  group: GROUP,
  kind: "ClusterIssuer",
  plural: "clusterissuers",
  scope: "Cluster",
  versions: [
    {
      name: "v1",
      members: { spec: issuerSpec, status: status({ acme: object({ uri: text() }) }) },
      root: { required: ["spec"] },
      more: STATUS,
    },
  ],
  valid: solved({
    selector: { dnsZones: ["example.com"] },
    dns01: { webhook: { groupName: "g", solverName: "s", config: { deep: [{ er: null }], n: 1.5 } } },
  }),
  misfits: [
    { why: "without a spec; rules wait", body: {}, causes: ["FieldValueInvalid <nil>", "FieldValueRequired spec"] },
    {
      why: "with two ways to issue",
      body: { spec: { selfSigned: {}, ca: { secretName: "s" } } },
      causes: ["FieldValueInvalid spec"],
    },
    {
      why: "with no way to solve",
      body: solved({ selector: {} }),
      causes: ["FieldValueInvalid <nil>", "FieldValueInvalid <nil>", "FieldValueRequired spec.acme.solvers[0].dns01"],
    },
  ],
});

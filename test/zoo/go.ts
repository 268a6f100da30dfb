/**
 * Controllers in Go: over controller-runtime, and over client-go alone. Their sources stand in `go/`.
 *
 * @module
 */
import {
  Backup,
  Banner,
  Bucket,
  Database,
  Member,
  Schedule,
  configMap,
  definitionOf,
  named,
  namespaceNamed,
  objectOf,
} from "./definitions/kinds.ts";
import type { CommandEntry } from "./entry.ts";

export const goEntries: readonly CommandEntry[] = [
  {
    name: "backups",
    language: "Go",
    class: "status written before the work",
    fault: "It reports that a backup is done, and is killed before it makes the copy.",
    kinds: ["missing"],
    scenario: {
      name: "backups",
      start: [definitionOf(Backup)],
      steps: [
        { apply: objectOf(Backup, "monday", { source: "shop" }) },
        { apply: objectOf(Backup, "tuesday", { source: "shop" }) },
      ],
    },
  },
  {
    name: "snapshots",
    language: "Go",
    class: "AlreadyExists is taken for a failure",
    fault: "It mistakes the ConfigMap that it made before for that of another client, and never tries again.",
    kinds: ["differs", "stale-status"],
    scenario: {
      name: "snapshots",
      start: [definitionOf(Backup)],
      steps: [
        { apply: objectOf(Backup, "monday", { source: "shop" }) },
        { apply: objectOf(Backup, "tuesday", { source: "shop" }) },
      ],
    },
  },
  {
    name: "vaults",
    language: "Go",
    class: "finalizer that is never removed",
    fault: "It treats a record that it has deleted before as an error, so the object stays in deletion.",
    kinds: ["stuck-in-deletion"],
    scenario: {
      name: "vaults",
      start: [namespaceNamed("storage"), definitionOf(Bucket)],
      steps: [{ apply: objectOf(Bucket, "photos", { region: "eu" }) }, { delete: named(Bucket, "photos") }],
    },
  },
  {
    name: "banners",
    language: "Go",
    class: "lost update",
    fault:
      "It writes a ConfigMap as its cache has it, without a resourceVersion, and so over a newer change of its user.",
    kinds: ["differs"],
    scenario: {
      name: "banners",
      start: [definitionOf(Banner)],
      steps: [
        {
          name: "a site and its banner are made",
          async do(cluster) {
            await cluster.apply(configMap("site", { title: "Shop" }));
            await cluster.apply(objectOf(Banner, "sale", { target: "site", text: "20 % off" }));
          },
        },
        {
          name: "the title and the banner change",
          async do(cluster) {
            await cluster.apply(configMap("site", { title: "The Shop" }));
            await cluster.apply(objectOf(Banner, "sale", { target: "site", text: "30 % off" }));
          },
        },
      ],
    },
  },
  {
    name: "databases",
    language: "Go",
    class: "a stale list after a restart",
    fault:
      "It deletes claims beyond the replicas of a list that may be older than what it had seen before its restart.",
    kinds: ["data-lost", "deleted-needlessly"],
    scenario: {
      name: "databases",
      start: [definitionOf(Database)],
      steps: [
        { apply: objectOf(Database, "orders", { replicas: 1 }) },
        { apply: objectOf(Database, "orders", { replicas: 3 }) },
      ],
    },
  },
  {
    name: "census",
    language: "Go",
    class: "an event that is handled twice",
    fault: "It adds one for each member that its informer adds, and after a restart one for each of them again.",
    kinds: ["differs"],
    scenario: {
      name: "census",
      start: [definitionOf(Member)],
      steps: [
        { apply: objectOf(Member, "ann", { mail: "ann@example.com" }) },
        { apply: objectOf(Member, "ben", { mail: "ben@example.com" }) },
        { delete: named(Member, "ann") },
      ],
    },
  },
  {
    name: "directories",
    language: "Go",
    class: "relies on the event of a deletion",
    fault: "It removes an entry when it sees the deletion of its member; it never sees a deletion before its start.",
    kinds: ["leaked"],
    scenario: {
      name: "directories",
      start: [namespaceNamed("directory"), definitionOf(Member)],
      steps: [{ apply: objectOf(Member, "ann", { mail: "ann@example.com" }) }, { delete: named(Member, "ann") }],
    },
  },
  {
    name: "schedules",
    language: "Go",
    class: "an error drops the key",
    fault: "It forgets a key whose write was refused.",
    kinds: ["missing", "differs"],
    scenario: {
      name: "schedules",
      start: [definitionOf(Schedule)],
      steps: [
        { apply: objectOf(Schedule, "nightly", { hours: "1, 2" }) },
        { apply: objectOf(Schedule, "weekly", { hours: "3" }) },
      ],
    },
  },
];

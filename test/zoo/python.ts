/**
 * Controllers in Python, over its standard library. Their sources stand in `python/`.
 *
 * @module
 */
import { Banner, Mailbox, Order, configMap, definitionOf, objectOf } from "./definitions/kinds.ts";
import type { CommandEntry } from "./entry.ts";

export const pythonEntries: readonly CommandEntry[] = [
  {
    name: "sessions",
    language: "Python",
    class: "a name that is only in memory",
    fault: "It remembers which ConfigMap it made, and creates another one after a restart.",
    kinds: ["leaked", "made-twice"],
    scenario: {
      name: "sessions",
      start: [definitionOf(Mailbox)],
      steps: [
        { apply: objectOf(Mailbox, "ann", { address: "ann@example.com" }) },
        { apply: objectOf(Mailbox, "ann", { address: "ann@example.org" }) },
      ],
    },
  },
  {
    name: "tickets",
    language: "Python",
    class: "a time-out is taken for a write that was not stored",
    fault: "It sends a create with a generated name again if no response came.",
    kinds: ["leaked", "made-twice"],
    scenario: {
      name: "tickets",
      start: [definitionOf(Order)],
      steps: [{ apply: objectOf(Order, "first", { amount: 10 }) }, { apply: objectOf(Order, "second", { amount: 7 }) }],
    },
  },
  {
    name: "mottos",
    language: "Python",
    class: "a conflict is taken for success",
    fault: "It ignores a conflict, as if another client had written the same.",
    kinds: ["differs", "missing"],
    scenario: {
      name: "mottos",
      start: [definitionOf(Banner), configMap("site", { title: "Shop" })],
      steps: [
        { apply: objectOf(Banner, "sale", { target: "site", text: "20 % off" }) },
        { apply: objectOf(Banner, "sale", { target: "site", text: "30 % off" }) },
      ],
    },
  },
];

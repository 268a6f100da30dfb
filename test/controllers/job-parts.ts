/** What the tests of Jobs share: a World with their controllers, and hands that play the node agent. */
import type { NewObject } from "../../src/client/index.ts";
import { CronJob, Event, Job, Pod } from "../../src/client/kinds/index.ts";
import { garbageCollector } from "../../src/controllers/garbage/collector.ts";
import { cronJob } from "../../src/controllers/workloads/cronjob.ts";
import { job } from "../../src/controllers/workloads/job.ts";
import { ttlAfterFinished } from "../../src/controllers/workloads/ttl-after-finished.ts";
import type { Manager } from "../../src/runtime/index.ts";
import { World } from "../runtime/world.ts";

const NAMESPACE = "default";

/** The key of an object in the namespace of the tests. */
export const at = (name: string) => ({ namespace: NAMESPACE, name });

/** A World in which Jobs run. */
export class JobWorld {
  readonly world: World;
  manager: Manager;
  #seed = 1;

  private constructor(world: World, manager: Manager) {
    this.world = world;
    this.manager = manager;
  }

  static async create(): Promise<JobWorld> {
    const world = await World.create();
    return new JobWorld(world, await world.run(job, cronJob, ttlAfterFinished, garbageCollector));
  }

  /** Stops the controllers, as a killed server does. */
  async kill(): Promise<void> {
    await this.manager.stop({ grace: 0 });
  }

  /** Starts them again, without their memory. */
  async restart(): Promise<void> {
    this.manager = this.world.manager({ seed: ++this.#seed }).add(job, cronJob, ttlAfterFinished, garbageCollector);
    await this.manager.start();
    await this.world.settled();
  }

  /** Creates a Job named `j`. */
  async make(spec: object = {}, pod: object = {}): Promise<Job> {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }], ...pod } };
    const made = await this.world
      .resource(Job)
      .create({ metadata: at("j"), spec: { template, ...spec } } as NewObject<Job>);
    await this.world.settled();
    return made;
  }

  /** Creates a CronJob named `k`; its Jobs wait unless the template says otherwise. */
  async makeCron(spec: object, ofJob: object = { suspend: true }): Promise<CronJob> {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const jobTemplate = {
      metadata: { labels: { app: "cron" }, annotations: { note: "n" } },
      spec: { template, ...ofJob },
    };
    const made = await this.world
      .resource(CronJob)
      .create({ metadata: at("k"), spec: { jobTemplate, ...spec } } as NewObject<CronJob>);
    await this.world.settled();
    return made;
  }

  job = (name = "j"): Promise<Job> => this.world.resource(Job).get(at(name));
  cron = (): Promise<CronJob> => this.world.resource(CronJob).get(at("k"));
  async jobs(): Promise<readonly Job[]> {
    return (await this.world.resource(Job).list()).items;
  }
  async jobNames(): Promise<readonly string[]> {
    return (await this.jobs()).map(({ metadata }) => metadata.name);
  }

  /** The Pods in the order of their creation. */
  async pods(): Promise<readonly Pod[]> {
    const { items } = await this.world.resource(Pod).list();
    return items.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  /** The Pods that have not ended and are not going. */
  async active(): Promise<readonly Pod[]> {
    const pods = await this.pods();
    const goesOn = ({ metadata, status }: Pod): boolean =>
      metadata.deletionTimestamp === undefined && status.phase !== "Failed" && status.phase !== "Succeeded";
    return pods.filter(goesOn);
  }

  /** Sets the status of a Pod, as a node agent does; what follows comes after a second. */
  async set(pod: Pod, status: object): Promise<void> {
    await this.world.resource(Pod).status.patch(at(pod.metadata.name), { status } as never);
    await this.world.settled();
  }

  /** Ends a Pod now. */
  async end(pod: Pod, exitCode = 0, more: object = {}): Promise<void> {
    const finishedAt = new Date(this.world.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const state = { terminated: { exitCode, startedAt: finishedAt, finishedAt } };
    const container = { name: "c", image: "i", imageID: "x", ready: false, restartCount: 0, state };
    await this.set(pod, { phase: exitCode === 0 ? "Succeeded" : "Failed", containerStatuses: [container], ...more });
  }

  /** Ends the one Pod that still runs. */
  async endOnly(exitCode = 0): Promise<void> {
    const [pod, ...others] = await this.active();
    if (!pod || others.length > 0)
      throw new Error(`expected one active Pod, got ${others.length + Number(pod !== undefined)}`);
    await this.end(pod, exitCode);
  }

  async runs(pod: Pod, more: object = {}): Promise<void> {
    await this.set(pod, { phase: "Running", ...more });
  }

  async change(spec: object, name = "j"): Promise<void> {
    await this.world.resource(Job).patch(at(name), { spec } as never);
    await this.world.settled();
  }

  async changeCron(spec: object): Promise<void> {
    await this.world.resource(CronJob).patch(at("k"), { spec } as never);
    await this.world.settled();
  }

  /** The reasons of the Events about an object, in their order. */
  async told(name = "j"): Promise<readonly string[]> {
    await this.world.settled();
    const { items } = await this.world.resource(Event).list();
    const about = items
      .filter(({ regarding }) => regarding?.name === name)
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    return about.map(({ type, reason }) => `${type} ${reason}`);
  }

  advance = (by: `${number}${"ms" | "s" | "m" | "h"}`): Promise<void> => this.world.advance(by);

  async close(): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    if (this.world.warnings.length > 0) throw new Error(this.world.warnings.join("\n"));
  }
}

/** The conditions of a Job as `Type=Status/Reason`. */
export const conditionsOf = ({ status }: Job): readonly string[] =>
  (status.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is}/${reason}`);

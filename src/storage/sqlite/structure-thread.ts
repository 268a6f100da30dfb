/**
 * The thread of {@link structureInThread}.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import { type StructureInput, checkStructure } from "./structure.ts";

const { file, isLogEmpty } = workerData as StructureInput;
parentPort!.postMessage(checkStructure(file, isLogEmpty));

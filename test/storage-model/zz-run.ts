const { playHistory } = await import("/work/h-model/test/storage-model/play.ts");
const { drawHistory, textOf } = await import("/work/h-model/test/storage-model/steps.ts");
const [from, n] = process.argv.slice(2).map(Number);
for (let s = from; s < from + n; s++) {
  const t = performance.now(); const c = process.cpuUsage();
  const o = await playHistory(drawHistory(s));
  const d = process.cpuUsage(c);
  console.log(s, JSON.stringify(o), Math.round(performance.now() - t), Math.round((d.user+d.system)/1000));
  if (o.wrong && process.env.P) console.log(textOf(drawHistory(s)));
}
process.exit(0);

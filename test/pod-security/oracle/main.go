// Evaluates Pods by the original implementation of Pod Security: one Pod as JSON on each line of the input, and on each line of
// the output its violations, by level, for each version in which they change: {"baseline": {"v1.0": "host namespaces (...)"}}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

const lastMinor = 37

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var pod corev1.Pod
		if err := json.Unmarshal(lines.Bytes(), &pod); err != nil {
			panic(err)
		}
		found := map[string]map[string]string{}
		for _, level := range []api.Level{api.LevelPrivileged, api.LevelBaseline, api.LevelRestricted} {
			found[string(level)] = changes(evaluator, level, &pod)
		}
		line, err := json.Marshal(found)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}

func changes(evaluator policy.Evaluator, level api.Level, pod *corev1.Pod) map[string]string {
	found := map[string]string{}
	before := ""
	for minor := 0; minor <= lastMinor; minor++ {
		version := api.MajorMinorVersion(1, minor)
		if text := detail(evaluator, level, version, pod); minor == 0 || text != before {
			found[version.String()] = text
			before = text
		}
	}
	found["latest"] = detail(evaluator, level, api.LatestVersion(), pod)
	return found
}

func detail(evaluator policy.Evaluator, level api.Level, version api.Version, pod *corev1.Pod) string {
	results := evaluator.EvaluatePod(api.LevelVersion{Level: level, Version: version}, &pod.ObjectMeta, &pod.Spec)
	result := policy.AggregateCheckResults(results)
	return result.ForbiddenDetail()
}

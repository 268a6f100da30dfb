// Reads YAML as Kubernetes does, with sigs.k8s.io/yaml. Texts on standard input, each a line with a JSON string; answers on
// standard output, each a line of JSON: the value as JSON, or why there is none, and what the strict form has against the text.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"sigs.k8s.io/yaml"
)

type answer struct {
	JSON   json.RawMessage `json:"json,omitempty"`
	Error  string          `json:"error,omitempty"`
	Strict string          `json:"strict,omitempty"`
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	buffered := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer buffered.Flush()
	out := json.NewEncoder(buffered)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return
		}
		var text string
		if err := json.Unmarshal(line, &text); err != nil {
			panic(err)
		}
		if err := out.Encode(read([]byte(text))); err != nil {
			panic(err)
		}
	}
}

func read(text []byte) answer {
	value, err := yaml.YAMLToJSON(text)
	if err != nil {
		return answer{Error: err.Error()}
	}
	found := answer{JSON: value}
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		found.Strict = err.Error()
	}
	return found
}

{{- define "keelson.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "keelson.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "keelson.labels" -}}
{{ include "keelson.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "keelson.image" -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}

{{- define "keelson.identity" -}}
{{- .Values.identity.secretName | default (printf "%s-identity" (include "keelson.fullname" .)) -}}
{{- end -}}

{{- define "keelson.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "keelson.fullname" .) -}}
{{- end -}}

{{- define "keelson.config" -}}
{{- $name := include "keelson.fullname" . -}}
{{- $service := printf "%s.%s" $name .Release.Namespace -}}
{{- $sans := concat (list "localhost" $name $service (printf "%s.svc" $service) (printf "%s.svc.cluster.local" $service)) .Values.tlsSans -}}
{{- $own := dict "store" "etcd" "etcd-servers" .Values.etcd.servers "etcd-prefix" .Values.etcd.prefix "tls-san" $sans "log-format" "json" -}}
{{- if .Values.etcd.tls.secretName -}}
{{- $_ := set $own "etcd-cacert" "/etc/keelson/etcd/ca.crt" -}}
{{- if .Values.etcd.tls.clientCertificate -}}
{{- $_ := set $own "etcd-cert" "/etc/keelson/etcd/tls.crt" -}}
{{- $_ := set $own "etcd-key" "/etc/keelson/etcd/tls.key" -}}
{{- end -}}
{{- end -}}
{{- mergeOverwrite $own .Values.options | toYaml -}}
{{- end -}}

{{- define "concordat.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name prefix of every object; 50 characters leave room for suffixes. */}}
{{- define "concordat.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "concordat.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "concordat.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Includes the namespace, so that the cluster-wide objects of two releases have different names. */}}
{{- define "concordat.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "concordat.fullname" .) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "concordat.selector" -}}
app.kubernetes.io/name: {{ include "concordat.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "concordat.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "concordat.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: concordat
{{- end }}

{{- define "concordat.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "concordat.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- required "serviceAccount.name is needed where serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "concordat.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}:{{ $tag }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end }}
{{- end }}

{{- define "concordat.databaseSecret" -}}
{{- if .Values.database.secret.name -}}
{{ .Values.database.secret.name }}
{{- else if .Values.cloudnativepg.enabled -}}
{{ include "concordat.fullname" . }}-postgres-app
{{- else -}}
{{- fail "database.secret.name is needed: a Secret that holds the URL of a Postgres. Or set cloudnativepg.enabled." }}
{{- end }}
{{- end }}

{{- define "concordat.webhookEnabled" -}}
{{- if and .Values.controller.enabled .Values.webhook.enabled }}true{{ end }}
{{- end }}

{{- define "concordat.webhookSecret" -}}
{{ include "concordat.fullname" . }}-webhook
{{- end }}

{{- define "concordat.webhookService" -}}
{{ include "concordat.fullname" . }}-webhook
{{- end }}

{{/* The restricted pod security standard. */}}
{{- define "concordat.podSecurity" -}}
runAsNonRoot: true
{{- /* OpenShift gives each namespace uids of its own, and refuses others. */}}
{{- if not (.Capabilities.APIVersions.Has "security.openshift.io/v1") }}
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "concordat.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "concordat.databaseEnvironment" -}}
{{- if .Values.database.secret.asFile -}}
- name: DATABASE_URL_FILE
  value: /etc/concordat/database/{{ .Values.database.secret.key }}
{{- else -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "concordat.databaseSecret" . | quote }}
      key: {{ .Values.database.secret.key | quote }}
{{- end }}
{{- with .Values.database.listenSecret }}
{{- if and .name .asFile }}
- name: LISTEN_DATABASE_URL_FILE
  value: /etc/concordat/listen-database/{{ .key }}
{{- else if .name }}
- name: LISTEN_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .name | quote }}
      key: {{ .key | quote }}
{{- end }}
{{- end }}
{{- with .Values.database.readSecret }}
{{- if and .name .asFile }}
- name: DATABASE_READ_URLS_FILE
  value: /etc/concordat/read-databases/{{ .key }}
{{- else if .name }}
- name: DATABASE_READ_URLS
  valueFrom:
    secretKeyRef:
      name: {{ .name | quote }}
      key: {{ .key | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Only for the Job that migrates: with it, a pod could change what the audit trail rests on. */}}
{{- define "concordat.migrateEnvironment" -}}
{{- with .Values.database.migrateSecret }}
{{- if .name -}}
- name: MIGRATE_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .name | quote }}
      key: {{ .key | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "concordat.databaseMount" -}}
{{- if .Values.database.secret.asFile -}}
- {name: database, mountPath: /etc/concordat/database, readOnly: true}
{{- end }}
{{- with .Values.database.listenSecret }}
{{- if and .name .asFile }}
- {name: listen-database, mountPath: /etc/concordat/listen-database, readOnly: true}
{{- end }}
{{- end }}
{{- with .Values.database.readSecret }}
{{- if and .name .asFile }}
- {name: read-databases, mountPath: /etc/concordat/read-databases, readOnly: true}
{{- end }}
{{- end }}
{{- end }}

{{- define "concordat.databaseVolume" -}}
{{- if .Values.database.secret.asFile -}}
- name: database
  secret:
    secretName: {{ include "concordat.databaseSecret" . | quote }}
    items:
      - {key: {{ .Values.database.secret.key | quote }}, path: {{ .Values.database.secret.key | quote }}}
{{- end }}
{{- with .Values.database.listenSecret }}
{{- if and .name .asFile }}
- name: listen-database
  secret:
    secretName: {{ .name | quote }}
    items:
      - {key: {{ .key | quote }}, path: {{ .key | quote }}}
{{- end }}
{{- end }}
{{- with .Values.database.readSecret }}
{{- if and .name .asFile }}
- name: read-databases
  secret:
    secretName: {{ .name | quote }}
    items:
      - {key: {{ .key | quote }}, path: {{ .key | quote }}}
{{- end }}
{{- end }}
{{- end }}

{{/* Node reads it at startup and passes it to git. */}}
{{- define "concordat.authoritiesEnvironment" -}}
{{- if .Values.trustedAuthorities.configMap -}}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/concordat/authorities/{{ .Values.trustedAuthorities.key }}
{{- end }}
{{- end }}

{{- define "concordat.authoritiesMount" -}}
{{- if .Values.trustedAuthorities.configMap -}}
- {name: authorities, mountPath: /etc/concordat/authorities, readOnly: true}
{{- end }}
{{- end }}

{{- define "concordat.authoritiesVolume" -}}
{{- if .Values.trustedAuthorities.configMap -}}
- name: authorities
  configMap:
    name: {{ .Values.trustedAuthorities.configMap | quote }}
{{- end }}
{{- end }}

{{/* Helm parses numbers as floats, and would write a million as 1e+06. */}}
{{- define "concordat.settingText" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{ int64 . }}
{{- else -}}
{{ . }}
{{- end }}
{{- end }}

{{/* The address of the release: its public URL, the host of its ingress, or its service. */}}
{{- define "concordat.address" -}}
{{- if .Values.baseUrl -}}
{{ .Values.baseUrl | trimSuffix "/" | trimSuffix .Values.basePath }}
{{- else if .Values.ingress.enabled -}}
{{ ternary "https" "http" (ne .Values.ingress.tlsSecret "") }}://{{ .Values.ingress.host }}
{{- else -}}
http://{{ include "concordat.fullname" . }}.{{ .Release.Namespace }}.svc:{{ .Values.service.port }}
{{- end }}
{{- end }}

{{/* The URL of docs/runbooks: by default in the guide that the release serves. */}}
{{- define "concordat.runbooks" -}}
{{- $own := printf "%s%s/docs/guide/runbooks" (include "concordat.address" .) .Values.basePath -}}
{{- default $own .Values.metrics.prometheusRule.runbookUrl | trimSuffix "/" }}
{{- end }}

{{/* A label selector of Kubernetes as text, as kubectl takes it; empty where it selects everything. */}}
{{- define "concordat.labelSelector" -}}
{{- $requirements := list }}
{{- with . }}
{{- range $key, $value := .matchLabels }}
{{- $requirements = append $requirements (printf "%s=%s" $key $value) }}
{{- end }}
{{- range .matchExpressions }}
{{- if eq .operator "Exists" }}
{{- $requirements = append $requirements .key }}
{{- else if eq .operator "DoesNotExist" }}
{{- $requirements = append $requirements (printf "!%s" .key) }}
{{- else }}
{{- $values := required "controller.watchNamespaceSelector: In and NotIn need values" .values }}
{{- $requirements = append $requirements (printf "%s %s (%s)" .key (lower .operator) (join "," $values)) }}
{{- end }}
{{- end }}
{{- end }}
{{- join "," $requirements }}
{{- end }}

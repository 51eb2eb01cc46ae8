module concordat.dev/scripts/kubernetes/promtool

go 1.26.7

require github.com/prometheus/prometheus v0.316.0

replace github.com/google/pprof => github.com/google/pprof v0.0.0-20260402051712-545e8a4df936

replace github.com/prometheus/client_golang/exp => github.com/prometheus/client_golang/exp v0.0.0-20251212205219-7ba246a648ca

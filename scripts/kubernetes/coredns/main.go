// CoreDNS with the plugins that kubeadm's Corefile names, for an image of a node.
package main

import (
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
)

func main() {
	// A query passes them in this order, which is that of CoreDNS's own releases.
	dnsserver.Directives = []string{
		"reload", "ready", "health", "prometheus", "errors", "loadbalance", "cache", "kubernetes",
		"loop", "forward",
	}
	coremain.Run()
}

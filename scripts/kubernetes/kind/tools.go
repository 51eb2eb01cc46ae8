//go:build tools

// Package tools names the program that is built here, so that go.mod and go.sum pin all it needs.
package tools

import _ "sigs.k8s.io/kind"

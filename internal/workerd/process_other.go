//go:build !unix

package workerd

import "os/exec"

// setProcessGroup does nothing, because this system has no process groups.
func setProcessGroup(*exec.Cmd) {}

// killProcessGroup kills the process of cmd.
func killProcessGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

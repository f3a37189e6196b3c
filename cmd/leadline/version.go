package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

// stamp is set by -ldflags "-X main.stamp=1.2.3" in releases.
var stamp string //nolint:gochecknoglobals // the linker can only set a variable

// version is the release, else what the build knows of itself.
func version() string {
	if stamp != "" {
		return stamp
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(),
		RunE:  func(*cobra.Command, []string) error { return a.printf("leadline %s\n", version()) },
	}
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# kernel.sh VERSION FOLDER: prints the path of Debian's newest kernel of a version ("6.1"), taken out of its package into FOLDER.
# The system's own package lists stay as they are. Exit 1 with one line on standard error when it cannot be had.
set -euo pipefail

version=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
suites=(bullseye bookworm bookworm-backports trixie trixie-backports)

no() { printf '%s\n' "$*" >&2; exit 1; }

have=$(find "$folder" -maxdepth 1 -name "vmlinuz-$version.*" | sort -V | tail -n 1)
if [ -n "$have" ]; then
  echo "$have"
  exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then no "no apt-get and dpkg-deb here, which fetch Debian's kernels"; fi

# Where this system has its Debian from.
# shellcheck disable=SC2016 # apt expands them
uri=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
  awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
[ -n "$uri" ] || no "this system's apt knows no Debian archive, or has no lists yet (apt-get update)"
key=/usr/share/keyrings/debian-archive-keyring.gpg

apt_home=$folder/apt
mkdir -p "$apt_home/lists/partial" "$apt_home/cache/archives/partial"
for suite in "${suites[@]}"; do
  echo "deb [arch=amd64 signed-by=$key] $uri $suite main"
done >"$apt_home/sources.list"
options=(-q -o "Dir::Etc::sourcelist=$apt_home/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt_home/lists"
  -o "Dir::Cache=$apt_home/cache" -o Acquire::Languages=none -o APT::Sandbox::User= -o APT::Update::Post-Invoke-Success::=)
if [ -z "$(find "$apt_home/lists" -maxdepth 1 -name '*Packages*' -mtime -1 2>/dev/null)" ]; then
  # A suite that the archive no longer has takes only its own kernels away.
  timeout 300 apt-get "${options[@]}" update >"$apt_home/update.log" 2>&1 || true
fi

# linux-image-6.1.0-57-cloud-amd64: the kernel for virtual machines, a third of the size. Not a debugging or realtime one.
package=$(apt-cache "${options[@]}" pkgnames "linux-image-$version." 2>/dev/null | grep -E -- '-cloud-amd64$' | sort -V | tail -n 1 || true)
[ -n "$package" ] || no "Debian offers no kernel $version here (looked in ${suites[*]})"
name=${package#linux-image-}
cd "$apt_home"
for package in "linux-image-$name" "linux-binary-$name"; do # from 7.2 on the kernel itself has a package of its own
  timeout 300 apt-get "${options[@]}" download "$package" >"$apt_home/download.log" 2>&1 || no "$package could not be downloaded"
  mkdir -p unpacked
  dpkg-deb -x "$package"_*.deb unpacked
  file=$(find unpacked -type f -name 'vmlinuz*' | head -n 1)
  [ -z "$file" ] || mv "$file" "$folder/vmlinuz-$name"
  rm -rf "$package"_*.deb unpacked
  [ ! -f "$folder/vmlinuz-$name" ] || { echo "$folder/vmlinuz-$name"; exit 0; }
done
no "$package holds no kernel"

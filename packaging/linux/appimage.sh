#!/bin/sh
# Packs a tree of the app as an AppImage:  appimage.sh TREE FILE
# python3 packaging/dev.py freeze --appimage makes the tree, and runs this.
# APPIMAGETOOL names the tool where it is not on the path; RUNTIME names the file that an AppImage begins with, where
# the tool must not download it.
set -eu

tree=$1
file=$2
tool=${APPIMAGETOOL:-$(command -v appimagetool || true)}

# An AppImage has its desktop entry and its icon at the top, and AppRun, which starts it.
cp "$tree/usr/share/applications/tokenarium.desktop" "$tree/" 2>/dev/null || {
    echo "packaging/linux has no tokenarium.desktop, which an AppImage needs." >&2
    exit 1
}
icon=$(find "$tree/usr/share/icons" -name 'tokenarium.svg' -o -name 'tokenarium.png' | sort | tail -n 1)
cp "$icon" "$tree/"
ln -sf "$(basename "$icon")" "$tree/.DirIcon"
ln -sf ../lib/tokenarium/tokenarium "$tree/usr/bin/tokenarium"
cat > "$tree/AppRun" <<'RUN'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/usr/lib/tokenarium/tokenarium" "$@"
RUN
chmod 755 "$tree/AppRun"

if [ -z "$tool" ]; then
    echo "appimagetool is not here. Get it from https://github.com/AppImage/appimagetool/releases, put it on the path" >&2
    echo "or name it by APPIMAGETOOL, and run the same command again." >&2
    exit 1
fi
ARCH=$(uname -m) "$tool" --no-appstream ${RUNTIME:+--runtime-file "$RUNTIME"} "$tree" "$file"

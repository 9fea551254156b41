; The installer for Windows, compiled by Inno Setup 6: python3 packaging/dev.py freeze --installer
; It gives Version, App (the folder of the frozen app), Icon and the name and place of the result.
#ifndef Version
  #error Version is missing: run python3 packaging/dev.py freeze --installer
#endif
#define Name "Tokenarium"
#define Program "tokenarium.exe"
#define UserModelId "Tokenarium.Tokenarium"

[Setup]
AppId={{6E0B5D0A-52B8-4C5E-9C0D-7A3F1B1E5C42}
AppName={#Name}
AppVersion={#Version}
AppVerName={#Name} {#Version}
AppPublisher=The Tokenarium developers
VersionInfoVersion={#Version}
DefaultDirName={autopf}\{#Name}
DefaultGroupName={#Name}
DisableProgramGroupPage=yes
LicenseFile=..\..\LICENSE
; For the user alone, with no administrator; the first page offers all users.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
Compression=lzma2/max
SolidCompression=yes
WizardStyle=modern
UninstallDisplayIcon={app}\{#Program}
ChangesAssociations=yes
ChangesEnvironment=yes
CloseApplications=yes
SetupIconFile={#Icon}

[Tasks]
Name: desktopicon; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: path; Description: "Let consoles find the command tokenarium-console"; Flags: unchecked
Name: associate; Description: "Offer Tokenarium for files of tokenizers and for links"

[InstallDelete]
; What an older version had and this one has not.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#App}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{autoprograms}\{#Name}"; Filename: "{app}\{#Program}"; AppUserModelID: "{#UserModelId}"
Name: "{autodesktop}\{#Name}"; Filename: "{app}\{#Program}"; AppUserModelID: "{#UserModelId}"; Tasks: desktopicon

[Registry]
; .tokenarium is our own type. For the others, which are not ours alone, the app is one of those that are offered.
Root: HKA; Subkey: "Software\Classes\Tokenarium.Document"; ValueType: string; ValueData: "Tokenarium session"; Flags: uninsdeletekey; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Tokenarium.Document\DefaultIcon"; ValueType: string; ValueData: "{app}\{#Program},0"; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Tokenarium.Document\shell\open\command"; ValueType: string; ValueData: """{app}\{#Program}"" ""%1"""; Tasks: associate
Root: HKA; Subkey: "Software\Classes\.tokenarium"; ValueType: string; ValueData: "Tokenarium.Document"; Flags: uninsdeletevalue; Tasks: associate
Root: HKA; Subkey: "Software\Classes\.tiktoken\OpenWithProgids"; ValueType: string; ValueName: "Tokenarium.Document"; Flags: uninsdeletevalue; Tasks: associate
Root: HKA; Subkey: "Software\Classes\.model\OpenWithProgids"; ValueType: string; ValueName: "Tokenarium.Document"; Flags: uninsdeletevalue; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Applications\{#Program}"; ValueType: string; ValueName: "FriendlyAppName"; ValueData: "{#Name}"; Flags: uninsdeletekey; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Applications\{#Program}\shell\open\command"; ValueType: string; ValueData: """{app}\{#Program}"" ""%1"""; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Applications\{#Program}\SupportedTypes"; ValueType: string; ValueName: ".json"; ValueData: ""; Tasks: associate
Root: HKA; Subkey: "Software\Classes\Applications\{#Program}\SupportedTypes"; ValueType: string; ValueName: ".txt"; ValueData: ""; Tasks: associate
; Links that begin with tokenarium:
Root: HKA; Subkey: "Software\Classes\tokenarium"; ValueType: string; ValueData: "URL:Tokenarium"; Flags: uninsdeletekey; Tasks: associate
Root: HKA; Subkey: "Software\Classes\tokenarium"; ValueType: string; ValueName: "URL Protocol"; ValueData: ""; Tasks: associate
Root: HKA; Subkey: "Software\Classes\tokenarium\shell\open\command"; ValueType: string; ValueData: """{app}\{#Program}"" ""%1"""; Tasks: associate
; The path of the user or of the system; it is taken off by the code below.
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NeedsPath

[Run]
Filename: "{app}\{#Program}"; Description: "{cm:LaunchProgram,{#Name}}"; Flags: nowait postinstall skipifsilent

[Code]
function NeedsPath(): Boolean;
var
  Path: string;
begin
  if not RegQueryStringValue(HKCU, 'Environment', 'Path', Path) then
    Path := '';
  Result := Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Path) + ';') = 0;
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
var
  Path, Ours: string;
  At: Integer;
begin
  if Step <> usPostUninstall then
    exit;
  Ours := ';' + ExpandConstant('{app}');
  if RegQueryStringValue(HKCU, 'Environment', 'Path', Path) then
  begin
    At := Pos(Uppercase(Ours) + ';', Uppercase(Path) + ';');
    if At > 0 then
    begin
      Delete(Path, At, Length(Ours));
      RegWriteExpandStringValue(HKCU, 'Environment', 'Path', Path);
    end;
  end;
end;

import Portico
import PorticoContracts
import PorticoFoundation
import PorticoInMemory

extension Subjects {
    /// Every clock of this build.
    public static func timeSources() -> [Subject<any TimeSource>] {
        [
            Subject(name: "SystemTime") { { SystemTime() } },
            Subject(name: "ManualTimeSource", capabilities: [.virtual]) {
                let time = ManualTimeSource(advancesOnSleep: true)
                return { time }
            },
        ]
    }
}

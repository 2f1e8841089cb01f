import Testing

@testable import PorticoShell

@Suite("Contrast")
struct ContrastTests {
    static func contrast(_ front: String, _ back: String, over canvas: String? = nil) throws -> Contrast {
        let front = try #require(DesignColor(hex: front))
        return front.contrast(on: try #require(DesignColor(hex: back)), over: canvas.flatMap(DesignColor.init(hex:)))
    }

    @Test("Contrast rounded up (4.478 passes as 4.5). → never.")
    func neverRoundedUp() throws {
        let gray = try Self.contrast("#777777", "#ffffff")
        #expect((4.478..<4.479).contains(gray.ratio))
        #expect(!gray.reaches(4.5))
        #expect(gray.description == "4.47")
        // 2.99…: what a rounded number would let pass.
        let pair = try Self.contrast("#959595", "#ffffff")
        #expect((2.99..<3).contains(pair.ratio) && !pair.reaches(3) && pair.description == "2.99")
        #expect(try Self.contrast("#767676", "#ffffff").reaches(4.5))
        #expect(Contrast(ratio: 6.9999999).description == "6.99")
        #expect(Contrast(ratio: 4.05).description == "4.04" || Contrast(ratio: 4.05).description == "4.05")
        #expect(Contrast(ratio: 21).description == "21.00")
        #expect(Contrast(ratio: 3).reaches(3))
    }

    @Test("Ratios are those of WCAG 2.2, in both directions")
    func ratios() throws {
        #expect(try Self.contrast("#000000", "#ffffff").ratio == 21)
        #expect(try Self.contrast("#ffffff", "#000000").ratio == 21)
        #expect(try Self.contrast("#123456", "#123456").ratio == 1)
        #expect(try abs(Self.contrast("#ff0000", "#ffffff").ratio - 3.998) < 0.001)
        #expect(try abs(Self.contrast("#0000ff", "#ffffff").ratio - 8.592) < 0.001)
        #expect(try Self.contrast("#777777", "#ffffff") < Self.contrast("#767676", "#ffffff"))
    }

    @Test("What is translucent is laid over what is behind it")
    func translucent() throws {
        #expect(try Self.contrast("#00000080", "#ffffff") == Self.contrast("#7f7f7f", "#ffffff"))
        #expect(try Self.contrast("#00000000", "#ffffff").ratio == 1)
        #expect(try Self.contrast("#ffffff", "#00000080") == Self.contrast("#ffffff", "#7f7f7f"))
        #expect(try Self.contrast("#ffffff", "#ffffff00", over: "#000000").ratio == 21)
    }
}

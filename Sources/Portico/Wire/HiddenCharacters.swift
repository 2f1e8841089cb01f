extension Unicode.Scalar {
    /// Whether it is not seen where text is shown, or changes how its neighbours are: controls, what turns the direction
    /// or joins, ends of lines, letters that are blank, and what no version of Unicode gave a meaning yet.
    ///
    /// A variation selector is none: it only chooses a picture. Spaces are none.
    package var isHidden: Bool {
        // The common case, without a look into the tables of Unicode.
        if isASCII { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}
